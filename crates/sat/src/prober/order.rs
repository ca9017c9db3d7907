//! Which variable is decided next: the one that had a part in most conflicts lately.

/// A heap of variables by activity.
#[derive(Debug)]
pub struct Order {
    heap: Vec<usize>,
    /// By variable: its place in the heap.
    places: Vec<usize>,
    activity: Vec<f64>,
    step: f64,
}

/// What is not in the heap has this place.
const NOWHERE: usize = usize::MAX;
/// The activity of others becomes so much less with each conflict.
const DECAY: f64 = 0.95;
/// Beyond this all are made smaller.
const LARGEST: f64 = 1e100;

impl Default for Order {
    fn default() -> Self {
        Self { heap: Vec::new(), places: Vec::new(), activity: Vec::new(), step: 1.0 }
    }
}

impl Order {
    pub fn add_variable(&mut self) {
        self.places.push(NOWHERE);
        self.activity.push(0.0);
    }

    /// Nothing is to be decided.
    pub fn clear(&mut self) {
        for variable in self.heap.drain(..) {
            self.places[variable] = NOWHERE;
        }
    }

    pub fn insert(&mut self, variable: usize) {
        if self.places[variable] == NOWHERE {
            self.heap.push(variable);
            self.places[variable] = self.heap.len() - 1;
            self.up(self.heap.len() - 1);
        }
    }

    pub fn pop(&mut self) -> Option<usize> {
        let &first = self.heap.first()?;
        let last = self.heap.pop().expect("there is one");
        self.places[first] = NOWHERE;
        if last != first {
            (self.heap[0], self.places[last]) = (last, 0);
            self.down(0);
        }
        Some(first)
    }

    /// It had a part in a conflict.
    pub fn bump(&mut self, variable: usize) {
        self.activity[variable] += self.step;
        if self.activity[variable] > LARGEST {
            self.activity.iter_mut().for_each(|activity| *activity /= LARGEST);
            self.step /= LARGEST;
        }
        if self.places[variable] != NOWHERE {
            self.up(self.places[variable]);
        }
    }

    /// The next conflict counts more.
    pub fn decay(&mut self) {
        self.step /= DECAY;
    }

    fn up(&mut self, mut at: usize) {
        let variable = self.heap[at];
        while at > 0 {
            let above = (at - 1) / 2;
            if self.activity[self.heap[above]] >= self.activity[variable] {
                break;
            }
            self.set(at, self.heap[above]);
            at = above;
        }
        self.set(at, variable);
    }

    fn down(&mut self, mut at: usize) {
        let variable = self.heap[at];
        loop {
            let mut below = 2 * at + 1;
            if below >= self.heap.len() {
                break;
            }
            if below + 1 < self.heap.len() && self.activity[self.heap[below + 1]] > self.activity[self.heap[below]] {
                below += 1;
            }
            if self.activity[variable] >= self.activity[self.heap[below]] {
                break;
            }
            self.set(at, self.heap[below]);
            at = below;
        }
        self.set(at, variable);
    }

    fn set(&mut self, at: usize, variable: usize) {
        self.heap[at] = variable;
        self.places[variable] = at;
    }
}
