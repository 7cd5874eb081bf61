import { component$ } from '@builder.io/qwik'
import { Ago, Card, Copyable, KeyValue, KeyValues, SkeletonLines, useQuery } from '@svc/ui-kit'

/** Version and uptime of the running service. */
export const SystemCard = component$(() => {
  const overview = useQuery('GET /overview')
  const system = overview.data?.system
  return (
    <Card title="Service">
      {!system && <SkeletonLines lines={4} label="Loading the service" />}
      {system && (
        <KeyValues>
          <KeyValue label="Version">{system.version}</KeyValue>
          <KeyValue label="Commit">
            <Copyable text={system.commit} label="commit" />
          </KeyValue>
          {system.network !== undefined && (
            <KeyValue label="Network">
              {system.network}
              {system.chain_id !== undefined && <span class="text-muted"> (chain {system.chain_id})</span>}
            </KeyValue>
          )}
          <KeyValue label="Started">
            <Ago time={system.started_at} />
          </KeyValue>
        </KeyValues>
      )}
    </Card>
  )
})
