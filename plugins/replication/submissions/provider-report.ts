import type { ProviderAnswer, ProviderClient, Providers } from '#plugins/providers'

/** Whether a provider reports that its transaction for an attempt failed. Without its report the chain decides, only later. */
export async function isReportedFailed(
  { providers }: { readonly providers: Providers },
  serviceUrl: string,
  readStatus: (client: ProviderClient) => Promise<ProviderAnswer<{ readonly state: string }>>,
): Promise<boolean> {
  using turn = providers.turns.take(serviceUrl, 'mutation')
  if (turn.refusal) return false
  const status = await readStatus(turn.client)
  return status.kind === 'ok' && status.value.state === 'failed'
}
