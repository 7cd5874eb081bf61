/** Bounds that hold for the whole process. A bound that belongs to one idea stands in that idea's file. */
export const limits = {
  /** How long one plugin may take to create its services before the boot fails and names it. */
  serviceStartMs: 60_000,
  /** How long a stop waits for running requests and tasks before it leaves them to recovery. */
  stopMs: 10_000,
  /** JSON bodies of the Admin API, unless a route asks for another bound. */
  jsonBodyBytesMax: 4096,
  /** Problems that one refusal lists; a body may hold thousands. */
  listedProblemsMax: 50,
} as const
