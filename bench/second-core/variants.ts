/** `+ turn`: the storage calls of a turn of the event loop start together, after its events. */
export const variantNames = [
  'one loop',
  'one loop + turn',
  'writer thread',
  'front thread',
  'two loops + turn',
  'two processes + turn',
  'owner and two processes + turn',
] as const

export type VariantName = (typeof variantNames)[number]

/** Read by the fronts of all threads and processes of a variant. */
export const turnVariable = 'SVC_BENCH_TURN'
