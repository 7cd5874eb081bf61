import { requireWhole } from '#cli'

const copiesMax = 8

interface CopiesFlags {
  readonly default_copies?: number
  readonly minimum_durable_copies?: number
}

/** `--copies` and `--minimum-copies` as members of a request. Throws CommandError with exit code 2. */
export function readCopies(flags: Readonly<Record<string, unknown>>): CopiesFlags {
  const { copies, minimumCopies } = flags as { readonly copies?: number; readonly minimumCopies?: number }
  requireWhole('--copies', copies, copiesMax)
  requireWhole('--minimum-copies', minimumCopies, copiesMax)
  return {
    ...(copies === undefined ? {} : { default_copies: copies }),
    ...(minimumCopies === undefined ? {} : { minimum_durable_copies: minimumCopies }),
  }
}
