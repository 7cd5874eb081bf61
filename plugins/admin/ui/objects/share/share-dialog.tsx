import { $, component$, type QRL, type Signal, useId, useSignal, useTask$ } from '@builder.io/qwik'
import {
  Alert,
  Button,
  CopyButton,
  call,
  Dialog,
  ErrorAlert,
  Field,
  formatExactTime,
  Select,
  SkeletonLines,
  TextInput,
  useAction$,
  useQuery,
  writeClipboard,
} from '@svc/ui-kit'
import { endpointOf, expiries, objectUrlOf, s3UriOf, signersOf } from './share-policy.ts'

const route = 'POST /buckets/:name/objects/share'

interface ShareDialogProps {
  open: Signal<boolean>
  bucket: string
  objectKey: string
  onClose$: QRL<() => void>
}

/** Makes a presigned link to an object, and shows its addresses. */
export const ShareDialog = component$<ShareDialogProps>(({ open, bucket, objectKey, onClose$ }) => {
  const users = useQuery('GET /s3-users')
  const address = useQuery('GET /s3-address')
  const owner = useQuery('GET /buckets/:name', () => ({ params: { name: bucket } }))
  const endpoint = useSignal('')
  const signer = useSignal('')
  const expiry = useSignal<string>(expiries[1].value)
  const formId = useId()
  useTask$(({ track }) => {
    const known = track(() => address.data)
    if (known && endpoint.value === '') endpoint.value = endpointOf(known, location.hostname)
  })
  const share = useAction$((body: { access_key: string; expires_seconds: number; endpoint: string }) =>
    call(route, { params: { name: bucket }, body: { key: objectKey, ...body } }),
  )
  const link = useSignal<{ readonly url: string; readonly expires_at: string }>()
  const isCopied = useSignal<boolean>()
  const signers = users.data && owner.data && signersOf(users.data, owner.data.owner_access_key)
  const make = $(async () => {
    const access_key = signer.value || signers?.[0]?.access_key
    if (access_key === undefined) return
    isCopied.value = undefined
    const made = await share.run({ access_key, expires_seconds: Number(expiry.value), endpoint: endpoint.value })
    link.value = made
    if (made) isCopied.value = await writeClipboard(made.url)
  })
  const failure = users.error ?? address.error ?? owner.error
  return (
    <Dialog
      open={open}
      title="Share this object"
      description="Anyone with the link can read the object until it expires."
      onClose$={onClose$}
    >
      <div class="flex flex-col gap-4 text-sm">
        <ErrorAlert error={failure} />
        {!failure && !signers && <SkeletonLines lines={4} label="Loading the S3 users" />}
        {signers?.length === 0 && <NoSigner />}
        {signers && signers.length > 0 && (
          <form id={formId} noValidate preventdefault:submit onSubmit$={make} class="flex flex-col gap-4">
            <div class="grid gap-4 sm:grid-cols-2">
              <Field label="Expires after">
                <Select value={expiry} options={expiries} />
              </Field>
              <Field label="Signed by" help="The link ends with the secret key of this user.">
                <Select
                  value={signer}
                  options={signers.map(({ access_key, name, role }) => ({ value: access_key, label: `${name ?? access_key} (${role})` }))}
                />
              </Field>
            </div>
            <Field label="Address of the S3 API" help="Scheme and host that readers of the link reach. They are part of the signature.">
              <TextInput value={endpoint} mono name="endpoint" />
            </Field>
            <ErrorAlert error={share.error} />
          </form>
        )}
        {link.value && (
          <AddressLine
            label={`Link, until ${formatExactTime(link.value?.expires_at ?? '')}`}
            text={link.value?.url ?? ''}
            name="the link"
          />
        )}
        <p role="status" class="text-xs text-muted empty:hidden">
          {isCopied.value === true && 'The link is in the clipboard.'}
          {isCopied.value === false && 'The browser did not let the page copy the link: use the button beside it.'}
        </p>
        <AddressLine label="S3 URI" text={s3UriOf(bucket, objectKey)} name="the S3 URI" />
        <AddressLine
          label="URL, for signed requests and public objects"
          text={objectUrlOf(endpoint.value, bucket, objectKey)}
          name="the URL"
        />
      </div>
      <Button
        q:slot="footer"
        onClick$={() => {
          open.value = false
        }}
      >
        Close
      </Button>
      {signers && signers.length > 0 && (
        <Button q:slot="footer" type="submit" form={formId} variant="primary" icon="link" changes={route} pending={share.isPending}>
          Make and copy a link
        </Button>
      )}
    </Dialog>
  )
})

const AddressLine = component$<{ label: string; text: string; name: string }>(({ label, text, name }) => (
  <div class="min-w-0">
    <p class="text-xs font-medium text-muted">{label}</p>
    <div class="mt-1 flex min-w-0 items-start justify-between gap-2 rounded-md border bg-sunken px-3 py-2">
      <code class="max-h-24 min-w-0 overflow-y-auto font-mono text-xs [overflow-wrap:anywhere]">{text}</code>
      <CopyButton text={text} label={name} />
    </div>
  </div>
))

const NoSigner = () => (
  <Alert tone="warning">
    No S3 user may sign a link: the bucket belongs to the service, and there is no user with the role admin. Change the owner of the bucket,
    or create an admin.
  </Alert>
)
