// Faults of a simulated provider, and for how many requests each acts.

/** Names of the provider's routes, for faults and counters. */
export const routeNames = [
  'ping',
  'upload_create',
  'upload_put',
  'upload_finalize',
  'piece_post',
  'piece_put',
  'piece_find',
  'piece_status',
  'pull',
  'data_set_create',
  'data_set_create_and_add',
  'data_set_created',
  'data_set_get',
  'pieces_add',
  'pieces_added',
  'piece_get',
  'pieces_delete',
  'terminate',
  'terminate_status',
  'retrieve',
] as const

export type RouteName = (typeof routeNames)[number]

/** `dark`, `unprocessed` and `stop_proving` act as long as they are placed, the others on requests. */
type FaultEffect =
  /** Wait before the work. */
  | { readonly kind: 'delay'; readonly delayMs: number }
  /** Leave the request without an answer; the connection is closed with the last fault. */
  | { readonly kind: 'hang' }
  /** Answer `101 Switching Protocols` and keep the connection. */
  | { readonly kind: 'switch_protocols' }
  /** Announce a long answer and send a byte of it every 100 ms until the client closes the connection. */
  | { readonly kind: 'drip' }
  /** Close the connection before the work. */
  | { readonly kind: 'drop_connection' }
  /** Answer without the work. */
  | { readonly kind: 'answer'; readonly status: number; readonly text?: string; readonly retryAfterSeconds?: number }
  /** Do the work (a transaction is broadcast), then close the connection without an answer. */
  | { readonly kind: 'drop_answer' }
  /** Do the work, then answer `status` (500) instead of success. */
  | { readonly kind: 'fail_answer'; readonly status?: number }
  /** Broadcast a transaction that reverts: its signature is destroyed, so its nonce stays unused. */
  | { readonly kind: 'revert' }
  /** Change one byte of the piece in the answer. */
  | { readonly kind: 'corrupt_bytes' }
  /** Close the connection after so many bytes of the piece. */
  | { readonly kind: 'cut_bytes'; readonly afterBytes: number }
  /** Send one byte of the piece now and one more after each `everyMs`. */
  | { readonly kind: 'drip_bytes'; readonly everyMs: number }
  /** Accept a pull and never finish it. */
  | { readonly kind: 'pull_stuck' }
  /** Accept a pull and then fail it permanently. */
  | { readonly kind: 'pull_failed' }
  /** An uploaded piece is found only after `delayMs`. */
  | { readonly kind: 'late_parking'; readonly delayMs: number }
  /** Mined transactions stay confirmed without being processed. */
  | { readonly kind: 'unprocessed' }
  /** Nothing listens on the provider's port. */
  | { readonly kind: 'dark' }
  /** No proofs and no next proving period; removals wait. */
  | { readonly kind: 'stop_proving' }

type FaultKind = FaultEffect['kind']

export type Fault = FaultEffect & {
  readonly routes?: readonly RouteName[]
  /** Removed after so many uses. Default: stays until cleared. */
  readonly count?: number
}

type PlacedFault = Fault & { readonly id: number; readonly uses: number }

type FaultOf<Kind extends FaultKind> = Extract<FaultEffect, { readonly kind: Kind }>

export interface FaultBox {
  /** Places a fault and returns its id. */
  add(fault: Fault): number
  /** Clears all faults without an id. */
  clear(id?: number): void
  list(): readonly PlacedFault[]
  /** The first matching fault; counts as one use. */
  take<Kind extends FaultKind>(kind: Kind, route?: RouteName): FaultOf<Kind> | undefined
  /** Whether a fault of this kind is placed; does not count as a use. */
  has(kind: FaultKind): boolean
  /** Calls back after each change. Returns the function that unsubscribes. */
  subscribe(listener: () => void): () => void
}

export function createFaultBox(): FaultBox {
  let faults: PlacedFault[] = []
  let lastId = 0
  const listeners = new Set<() => void>()

  function replace(next: PlacedFault[]): void {
    faults = next
    for (const listener of listeners) listener()
  }

  return {
    add(fault) {
      replace([...faults, { ...fault, id: ++lastId, uses: 0 }])
      return lastId
    },
    clear(id) {
      replace(id === undefined ? [] : faults.filter((fault) => fault.id !== id))
    },
    list: () => faults,
    take(kind, route) {
      const found = faults.find((fault) => isOfKind(fault, kind) && matches(fault, route))
      if (!found || !isOfKind(found, kind)) return undefined
      const used = { ...found, uses: found.uses + 1 }
      const isSpent = used.count !== undefined && used.uses >= used.count
      replace(faults.flatMap((fault) => (fault.id !== found.id ? [fault] : isSpent ? [] : [used])))
      return found
    },
    has: (kind) => faults.some((fault) => fault.kind === kind),
    subscribe(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
  }
}

function isOfKind<Kind extends FaultKind>(fault: PlacedFault, kind: Kind): fault is PlacedFault & FaultOf<Kind> {
  return fault.kind === kind
}

function matches(fault: Fault, route: RouteName | undefined): boolean {
  return fault.routes === undefined || (route !== undefined && fault.routes.includes(route))
}
