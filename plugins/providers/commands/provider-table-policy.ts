/** Formats providers. Their own texts are untrusted: the table keeps only printable characters. */
import { formatSize, onOneLine } from '#cli'
import type { RegisteredProvider } from '../chain/provider-registry.ts'

type Health = 'reachable' | 'unreachable' | 'n/a' | 'skipped'

export interface CheckedProvider {
  readonly provider: RegisteredProvider
  health: Health
}

export const providerHeader = ['id', 'name', 'active', 'service url', 'location', 'health', 'min piece', 'max piece'] as const

const missing = '—'

export function toProviderRow({ provider, health }: CheckedProvider): readonly string[] {
  const { providerId, name, isActive, serviceUrl, location, pieceBytesMin, pieceBytesMax } = provider
  return [
    providerId,
    shown(name),
    isActive ? '✓' : '✗',
    shown(serviceUrl),
    shown(location),
    health,
    shownSize(pieceBytesMin),
    shownSize(pieceBytesMax),
  ]
}

export function countProviders(seen: readonly CheckedProvider[]): string {
  const withPdp = seen.filter(({ provider }) => provider.hasPdp).length
  const reachable = seen.filter(({ health }) => health === 'reachable').length
  const health = seen.some(({ health }) => health === 'skipped') ? 'health skipped' : `${reachable} reachable`
  return `Total: ${seen.length} providers (${withPdp} with PDP, ${health})`
}

/** For --json: sizes and prices are decimal texts, absent members are omitted. */
export function describeProvider({ provider, health }: CheckedProvider) {
  return {
    id: provider.providerId,
    name: provider.name,
    description: provider.description || undefined,
    active: provider.isActive,
    address: provider.address,
    has_pdp: provider.hasPdp,
    service_url: provider.serviceUrl,
    min_piece_size: provider.pieceBytesMin?.toString(),
    max_piece_size: provider.pieceBytesMax?.toString(),
    storage_price: provider.storagePrice?.toString(),
    location: provider.location,
    health_status: health,
  }
}

const shown = (text: string | undefined): string => onOneLine(text ?? '') || missing
const shownSize = (bytes: bigint | undefined): string => (bytes === undefined ? missing : formatSize(Number(bytes), 1))
