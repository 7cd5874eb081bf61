export interface CopiesFlags {
  readonly copies: number | undefined
  readonly minimumCopies: number | undefined
}

/** `--copies` and `--minimum-copies` as members of a request. */
export const readCopies = ({ copies, minimumCopies }: CopiesFlags) => ({
  ...(copies === undefined ? {} : { default_copies: copies }),
  ...(minimumCopies === undefined ? {} : { minimum_durable_copies: minimumCopies }),
})
