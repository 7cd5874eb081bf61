import { component$ } from '@builder.io/qwik'
import { Badge, Card, Copyable, KeyText, KeyValue, KeyValues } from '@svc/ui-kit'
import type { Provider } from './describe-provider.ts'

/** What the provider registered. Its texts are untrusted. */
export const ProviderFacts = component$<{ provider: Provider }>(({ provider: { facts, provider_identity: identity = undefined } }) => {
  const extra = Object.entries(identity?.extra_capabilities ?? {})
  return (
    <Card title="Registration">
      <div class="grid gap-x-8 lg:grid-cols-2">
        <KeyValues>
          <KeyValue label="Id" value={facts.provider_id} />
          <KeyValue label="Lists">
            <span class="inline-flex flex-wrap justify-end gap-1.5">
              <Badge tone={facts.active ? 'success' : 'danger'}>{facts.active ? 'Active' : 'Inactive'}</Badge>
              <Badge tone={facts.approved ? 'success' : 'neutral'}>{facts.approved ? 'Approved' : 'Not approved'}</Badge>
              {facts.endorsed && <Badge tone="info">Endorsed</Badge>}
            </span>
          </KeyValue>
          <KeyValue label="Service URL">
            <Copyable text={facts.service_url} label="service URL" keep={30} />
          </KeyValue>
          <KeyValue label="Last ping" value={pingText(facts)} />
        </KeyValues>
        <KeyValues class="max-lg:border-t">
          <KeyValue label="Location">{identity?.location === undefined ? '—' : <KeyText text={identity.location} wrap />}</KeyValue>
          <KeyValue label="Address">
            <Copyable text={identity?.service_provider_address} label="address of the provider" />
          </KeyValue>
          <KeyValue label="Is paid at">
            <Copyable text={identity?.payee_address} label="payee address" />
          </KeyValue>
          {identity?.description !== undefined && (
            <KeyValue label="Describes itself as">
              <KeyText text={identity.description} wrap />
            </KeyValue>
          )}
          {extra.map(([name, value]) => (
            <KeyValue key={name} label={name}>
              <KeyText text={value} wrap />
            </KeyValue>
          ))}
        </KeyValues>
      </div>
    </Card>
  )
})

function pingText({ health_status, ping_ms }: Provider['facts']): string {
  if (health_status === 'reachable') return ping_ms === undefined ? 'Answered' : `Answered in ${ping_ms} ms`
  return health_status === 'unreachable' ? 'No answer' : 'Not asked'
}
