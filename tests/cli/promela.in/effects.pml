byte asked;
active proctype client() { do :: asked = 1 - asked od }
never { do :: asked == 1 -> asked = 2 :: else od }
