chan c = [1] of { byte };

active proctype sender() { c!1; c!2 }

active proctype receiver() {
  if
  :: c?1
  :: skip
  fi
}
