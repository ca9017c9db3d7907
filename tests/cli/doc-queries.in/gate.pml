mtype = { red, green };
mtype light = red;
byte waiting;

active [2] proctype car() {
  waiting++;
stop:
  light == green;
  waiting--
}

active proctype lamp() {
  waiting > 0;
  light = green
}
