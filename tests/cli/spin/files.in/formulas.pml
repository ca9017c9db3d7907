bool sent, arrived;
active proctype sender() { sent = true }
active proctype receiver() { sent -> arrived = true }
ltl delivery { <> DELIVERED }
