/** Tests in scope that fail, by reason. docs/reference/s3-tests.md is generated from this list. */

interface FailureReason {
  readonly title: string
  /** Why svc answers as it does. */
  readonly why: string
  readonly tests: readonly string[]
}

export const failureReasons: readonly FailureReason[] = []

export const expectedFailures: ReadonlySet<string> = new Set(failureReasons.flatMap(({ tests }) => tests))
