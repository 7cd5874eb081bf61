/** Limits of the whole process. A limit of one feature is in the file of that feature. */
export const limits = {
  /** Longest wait of a stop for running requests and tasks; recovery handles the rest at the next start. */
  stopMs: 10_000,
  /** JSON bodies of the Admin API, unless a route sets another limit. */
  jsonBodyBytesMax: 4096,
  /** Problems that one refusal lists; a body may hold thousands. */
  listedProblemsMax: 50,
} as const

/** A sentence for each limit. The name ends with its unit: `Ms`, `Bytes`… */
export type LimitTexts<Limits> = Readonly<Record<keyof Limits, string>>
