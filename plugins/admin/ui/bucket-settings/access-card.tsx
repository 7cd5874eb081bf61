import { $, component$, useSignal } from '@builder.io/qwik'
import { Alert, type Answer, Badge, Button, Card, Confirm, call, type Input, invalidate, Link, toast, useAction$ } from '@svc/ui-kit'
import { describeGrant, type Exposure, exposureOf, textOfExposure } from './access-policy.ts'

type Access = Answer<'GET /buckets/:name/s3-settings'>['access']

interface AccessCardProps {
  bucket: Pick<Answer<'GET /buckets/:name'>, 'name' | 'public_access'>
  access: Access
}

const route = 'PUT /buckets/:name/s3-settings/access'

const changes: Readonly<Record<Exposure, Input<typeof route>['body']>> = {
  private: { list: 'private', block_public_access: true },
  listed: { list: 'public-read', block_public_access: false },
  open: { list: 'public-read-write', block_public_access: false },
}

/** Who may use the bucket without being its owner, and the switch between private and public. */
export const AccessCard = component$<AccessCardProps>(({ bucket, access }) => {
  const wanted = useSignal<Exposure>()
  const isAsking = useSignal(false)
  const save = useAction$((body: Input<typeof route>['body']) => call(route, { params: { name: bucket.name }, body }))
  const ask = $(async (next: Exposure) => {
    await save.reset()
    wanted.value = next
    isAsking.value = true
  })
  const current = exposureOf(access)
  const isPublic = bucket.public_access.length > 0
  const locked = access.is_public_access_on
    ? access.has_lists
      ? undefined
      : 'The object ownership of the bucket allows no lists.'
    : 'Public access is off in the settings.'
  return (
    <Card title="Access">
      <div class="flex flex-col gap-3 text-sm">
        <p>
          <Badge tone={isPublic ? 'warning' : 'success'} icon={isPublic ? 'globe' : 'lock'}>
            {isPublic ? 'Public' : 'Private'}
          </Badge>{' '}
          {textOfExposure(current, isPublic)}
        </p>
        {!access.is_public_access_on && (
          <Alert tone="neutral">
            No bucket can be public: <code class="font-mono text-xs">s3.public_access</code> is off.{' '}
            <Link to="/settings" query={{ q: 'public_access' }} class="underline">
              Open the setting
            </Link>
          </Alert>
        )}
        <div>
          <h3 class="text-xs font-medium text-muted">Grants of the bucket</h3>
          <ul class="mt-1 flex flex-col gap-1">
            {access.grants.map((grant) => (
              <li key={`${grant.grantee} ${grant.permission}`} class="[overflow-wrap:anywhere]">
                {describeGrant(grant)}
              </li>
            ))}
          </ul>
          <p class="mt-1 text-xs text-muted">
            Object ownership: {access.ownership}. Objects have lists of their own. Buckets have no policy documents.
          </p>
        </div>
        <div class="flex flex-wrap gap-2">
          <Button
            size="sm"
            icon="lock"
            changes={route}
            lockedReason={current === 'private' && !isPublic && access.block.ignore_public_acls ? 'It is private.' : undefined}
            onClick$={() => ask('private')}
          >
            Make private
          </Button>
          <Button size="sm" icon="globe" changes={route} lockedReason={locked} onClick$={() => ask('listed')}>
            Make public
          </Button>
          <Button size="sm" icon="lock-open" changes={route} lockedReason={locked} onClick$={() => ask('open')}>
            Make public for writing
          </Button>
        </div>
      </div>
      {wanted.value && (
        <Confirm
          open={isAsking}
          level={wanted.value === 'open' ? 'typed' : wanted.value === 'listed' ? 'danger' : 'review'}
          word={bucket.name}
          changes={route}
          title={wanted.value === 'private' ? 'Make this bucket private?' : 'Make this bucket public?'}
          confirmLabel={wanted.value === 'private' ? 'Make private' : 'Make public'}
          pending={save.isPending}
          error={save.error?.message}
          onConfirm$={$(async () => {
            if (!wanted.value || !(await save.run(changes[wanted.value]))) return
            invalidate(['GET /buckets', 'GET /buckets/:name', 'GET /buckets/:name/s3-settings'])
            isAsking.value = false
            toast({ title: wanted.value === 'private' ? `${bucket.name} is private` : `${bucket.name} is public` })
          })}
        >
          <p class="text-sm">{effectOf(wanted.value)}</p>
        </Confirm>
      )}
    </Card>
  )
})

const effectOf = (exposure: Exposure): string => {
  if (exposure === 'private')
    return 'Only its owner and admins have access. A public access block also ends public access to single objects.'
  return exposure === 'listed'
    ? 'Everyone who reaches the S3 API may list its keys without a signature, and read the objects whose own list is public.'
    : 'Everyone who reaches the S3 API may list its keys, and store and delete objects, which fills the cache and causes payments to storage providers.'
}
