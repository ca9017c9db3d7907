bool sent, arrived;
active proctype sender() { sent = true }
active proctype receiver() { sent -> arrived = true }
ltl order { !arrived W sent }
ltl delivery { <> DELIVERED }
