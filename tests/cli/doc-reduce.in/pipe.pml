chan pipe = [2] of { byte };
int sent, seen, last;

active proctype source() {
	do
	:: sent < 3 -> pipe!sent; sent++
	:: else -> break
	od
}

active proctype drain() {
	byte item;
end:	do
	:: pipe?item -> assert(item == seen % 4); seen = item + 1; last = item
	od
}

active proctype watch() { assert(seen + last < 7) }
