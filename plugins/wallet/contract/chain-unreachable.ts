/** Whether no usable answer of the chain came: no node answered, or two differ. Tasks wait then, and use no attempt (I-08). */
export const isChainUnreachable = (error: unknown): error is Error =>
  error instanceof Error && 'code' in error && error.code === 'chain_unreachable'
