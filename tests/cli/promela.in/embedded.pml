byte asked;
active proctype client() { do :: asked = 1 - asked od }
never { do :: c_expr { now.asked == 1 } :: else od }
