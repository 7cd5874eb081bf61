import type { Chain } from '#plugins/wallet'

const stringToHex = (text: string) => `0x${Buffer.from(text).toString('hex')}`
const address = `0x${'a'.repeat(40)}` as const

/** A provider of a test's registry. */
export interface TestRecord {
  readonly serviceUrl: string
  readonly isActive?: boolean
  readonly isApproved?: boolean
  readonly hasPdp?: boolean
  readonly extra?: Readonly<Record<string, string>>
}

/** A chain whose registry has these providers, numbered from 1. The list may change between two reads. */
export function registryChain(records: readonly TestRecord[]): Chain {
  const provider = (index: number) => {
    const { serviceUrl, isActive = true, hasPdp = true, extra = {} } = records[index] as TestRecord
    const capabilities = {
      serviceURL: stringToHex(serviceUrl),
      minPieceSizeInBytes: '0x7f',
      maxPieceSizeInBytes: `0x${(1_065_353_216).toString(16)}`,
      storagePricePerTibPerDay: '0x01',
      minProvingPeriodInEpochs: '0x1e',
      location: stringToHex('C=DE'),
      paymentTokenAddress: address,
      ...Object.fromEntries(Object.entries(extra).map(([key, text]) => [key, stringToHex(text)])),
    }
    return {
      providerId: BigInt(index + 1),
      providerInfo: { serviceProvider: address, payee: address, name: `provider ${index}`, description: '', isActive },
      product: { productType: 0, capabilityKeys: hasPdp ? Object.keys(capabilities) : [], isActive: true },
      productCapabilityValues: hasPdp ? Object.values(capabilities) : [],
    }
  }
  const idsOf = (isIn: (record: TestRecord) => boolean) => records.flatMap((record, index) => (isIn(record) ? [BigInt(index + 1)] : []))
  const pageOf = (ids: readonly bigint[], [offset = 0n, limit = 0n]: readonly bigint[]) => ids.slice(Number(offset), Number(offset + limit))
  const answers: Record<string, (args: readonly bigint[]) => unknown> = {
    getProviderCount: () => BigInt(records.length),
    getApprovedProviders: (args) =>
      pageOf(
        idsOf(({ isApproved = true }) => isApproved),
        args,
      ),
    getProviderIds: () => [],
    getProviderWithProduct: ([id = 1n]) => provider(Number(id) - 1),
  }
  return {
    network: { chainId: 7, epochSeconds: 1, contracts: { registry: address, endorsements: address } },
    warmStorageView: async () => address,
    read: async ({ functionName, args = [] }: { functionName: string; args?: readonly bigint[] }) => answers[functionName]?.(args),
  } as unknown as Chain
}
