import { component$ } from '@builder.io/qwik'
import { Badge, Card, Copyable, formatDuration, formatExactTime, KeyValue, KeyValues, SkeletonLines, useNow, useQuery } from '@svc/ui-kit'

/** Version, build and age of the running process. */
export const ServiceCard = component$(() => {
  const info = useQuery('GET /system/info')
  const now = useNow()
  const data = info.data
  return (
    <Card title="Service">
      {data ? (
        <KeyValues>
          <KeyValue label="Version" value={data.version} />
          <KeyValue label="Commit">
            <Copyable text={data.commit} label="commit" keep={8} />
          </KeyValue>
          <KeyValue label="Built">
            <time dateTime={data.build_date}>{formatExactTime(data.build_date)}</time>
          </KeyValue>
          <KeyValue label="Uptime">
            <span title={`Started ${formatExactTime(data.started_at)}`}>
              {formatDuration(Math.max(0, now.value - Date.parse(data.started_at)) / 1000)}
            </span>
          </KeyValue>
          <KeyValue label="Mode">
            <Badge tone={data.mode === 'full' ? 'success' : 'warning'}>{data.mode === 'full' ? 'Full' : 'Setup'}</Badge>
          </KeyValue>
          {data.network !== undefined && (
            <KeyValue label="Network">
              {data.network}
              <span class="text-muted">{` · chain ${data.chain_id}`}</span>
            </KeyValue>
          )}
        </KeyValues>
      ) : (
        <SkeletonLines lines={6} label="Loading the state of the service" />
      )}
    </Card>
  )
})
