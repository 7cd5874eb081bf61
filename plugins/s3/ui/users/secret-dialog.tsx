import { $, component$, type Signal, useSignal, useTask$ } from '@builder.io/qwik'
import { Alert, Button, Confirm, CopyButton, Dialog, Tabs, useQuery } from '@svc/ui-kit'
import { placeOf, writeSnippets } from './snippet-policy.ts'
import type { Credentials } from './user-policy.ts'

/** The keys of a user, once, with the configuration of usual clients. */
export const SecretDialog = component$<{ secret: Signal<Credentials | undefined> }>((props) => {
  const open = useSignal(false)
  const isAsking = useSignal(false)
  useTask$(({ track }) => {
    open.value = track(() => props.secret.value) !== undefined
  })
  const keys = props.secret.value
  return (
    <>
      <Dialog
        open={open}
        title="Keep the secret key"
        description="It is shown this once. Without it, the secret key must be rotated."
        onCloseAsked$={$(() => {
          isAsking.value = true
        })}
        onClose$={$(() => {
          props.secret.value = undefined
        })}
      >
        {keys && (
          <div class="flex flex-col gap-4">
            <dl class="divide-y overflow-hidden rounded-md border">
              <KeyLine label="Access key" text={keys.access_key} />
              <KeyLine label="Secret key" text={keys.secret_key} />
            </dl>
            <ClientConfigurations keys={keys} />
          </div>
        )}
        <Button
          q:slot="footer"
          variant="primary"
          onClick$={() => {
            open.value = false
          }}
        >
          I have stored it
        </Button>
      </Dialog>
      <Confirm
        open={isAsking}
        level="danger"
        title="Is the secret key stored?"
        description="It cannot be shown again. If it is lost, the secret key must be rotated, and every client of this user needs the new one."
        confirmLabel="It is stored, close"
        cancelLabel="Back to the keys"
        onConfirm$={$(() => {
          isAsking.value = false
          open.value = false
        })}
      />
    </>
  )
})

const KeyLine = component$<{ label: string; text: string }>(({ label, text }) => (
  <div class="flex min-w-0 items-center gap-3 px-3 py-2 text-sm">
    <dt class="w-22 shrink-0 text-muted">{label}</dt>
    <dd class="flex min-w-0 flex-1 items-center justify-between gap-2">
      <code class="min-w-0 font-mono text-xs [overflow-wrap:anywhere]">{text}</code>
      <CopyButton text={text} label={label.toLowerCase()} />
    </dd>
  </div>
))

const ClientConfigurations = component$<{ keys: Credentials }>(({ keys }) => {
  // The running listener: a saved change of it needs a restart.
  const address = useQuery('GET /s3-address')
  const chosen = useSignal('aws')
  if (address.error && !address.data)
    return <Alert tone="warning">{`The address of the S3 API cannot be read: ${address.error.message}`}</Alert>
  const place = address.data && placeOf(address.data, location.hostname)
  if (!place) return null
  const snippets = writeSnippets(keys, place)
  const snippet = snippets.find(({ id }) => id === chosen.value) ?? snippets[0]
  return (
    <Tabs label="Configuration of clients" value={chosen} tabs={snippets.map(({ id, label }) => ({ id, label }))}>
      <div class="relative rounded-md border bg-sunken">
        <div class="flex items-center justify-between gap-2 border-b px-3 py-1 text-xs text-muted">
          {snippet?.place}
          <CopyButton text={snippet?.text ?? ''} label={`configuration of ${snippet?.label ?? ''}`} />
        </div>
        <pre class="px-3 py-2.5 font-mono text-xs whitespace-pre-wrap [overflow-wrap:anywhere]">{snippet?.text}</pre>
      </div>
    </Tabs>
  )
})
