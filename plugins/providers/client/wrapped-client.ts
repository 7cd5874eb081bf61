import type { ProviderClient } from './provider-client.ts'

/** Every member that sends a request. */
export type Call = {
  [K in keyof ProviderClient]: ProviderClient[K] extends (...args: never) => Promise<unknown> ? K : never
}[keyof ProviderClient]

const calls: Readonly<Record<Call, true>> = {
  ping: true,
  createDataSet: true,
  creationStatus: true,
  addPieces: true,
  additionStatus: true,
  pull: true,
  deletePieces: true,
  terminate: true,
  terminationStatus: true,
  upload: true,
  uploadThenName: true,
  uploadOnly: true,
  findPiece: true,
  headPiece: true,
  openPiece: true,
}

type CallAnswer = Awaited<ReturnType<ProviderClient[Call]>>

/** A client of the same interface: `around` makes each call. */
export function wrapClient(
  client: ProviderClient,
  around: (call: Call, send: () => Promise<CallAnswer>, args: readonly unknown[]) => Promise<CallAnswer>,
): ProviderClient {
  const wrapped = (Object.keys(calls) as Call[]).map((call) => {
    const send = client[call] as (...args: readonly unknown[]) => Promise<CallAnswer>
    return [call, (...args: readonly unknown[]) => around(call, () => send(...args), args)]
  })
  return { ...client, ...Object.fromEntries(wrapped) }
}
