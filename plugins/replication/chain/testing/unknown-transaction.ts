import { type Hex, TransactionNotFoundError } from 'viem'

/** The error of the chain client for a transaction that the node does not know. */
export const unknownTransaction = (hash: Hex): Error => new TransactionNotFoundError({ hash })
