import { component$ } from '@builder.io/qwik'
import { Alert, Card, Copyable, formatBytes, KeyValue, KeyValues, Link, SkeletonLines, useQuery } from '@svc/ui-kit'
import { valueAt } from '../settings/draft-policy.ts'

/** Where the service listens and keeps data, as its settings say. */
export const PlacesCard = component$(() => {
  const settings = useQuery('GET /settings')
  const cache = useQuery('GET /overview').data?.cache
  const data = settings.data
  const port = data && valueAt(data.config, 'server.port')
  const tls = data && valueAt(data.config, 'server.tls.enabled')
  const dir = data && valueAt(data.config, 'cache.dir')
  return (
    <Card title="Listeners and storage">
      <Link q:slot="actions" to="/settings?tab=server" class="text-accent hover:underline">
        Change
      </Link>
      {settings.error && !data && <Alert tone="danger">{settings.error.message}</Alert>}
      {!data && !settings.error && <SkeletonLines lines={6} label="Loading addresses and folders" />}
      {data && (
        <KeyValues>
          {typeof port === 'string' && (
            <KeyValue label="S3 API">
              <code class="font-mono text-xs">{port}</code>
              <span class="text-muted">{tls === true ? ' · https' : ' · http'}</span>
            </KeyValue>
          )}
          <KeyValue label="Admin API">
            {data.manual.admin.addr_configured ? (
              'Set in the configuration'
            ) : (
              <code class="font-mono text-xs">{String(data.metadata['admin.addr']?.default ?? '')}</code>
            )}
          </KeyValue>
          <KeyValue label="Configuration">
            <Copyable text={data.config_path} label="path of the configuration file" keep={20} />
          </KeyValue>
          <KeyValue label="Database">{data.manual.database.driver}</KeyValue>
          {typeof dir === 'string' && (
            <KeyValue label="Cache folder">
              <Copyable text={dir} label="path of the cache" keep={20} />
            </KeyValue>
          )}
          {cache && <KeyValue label="Cache in use">{`${formatBytes(cache.used_bytes)} of ${formatBytes(cache.max_bytes)}`}</KeyValue>}
        </KeyValues>
      )}
    </Card>
  )
})
