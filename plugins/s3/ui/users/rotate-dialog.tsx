import { $, component$, type Signal } from '@builder.io/qwik'
import { Confirm, call, useAction$ } from '@svc/ui-kit'
import { useDialog } from './use-dialog.ts'
import type { Credentials, S3User } from './user-policy.ts'

interface RotateProps {
  user: S3User | undefined
  dialog: Signal<string | undefined>
  secret: Signal<Credentials | undefined>
}

export const RotateDialog = component$<RotateProps>((props) => {
  const open = useDialog(props.dialog, 'rotate')
  const rotate = useAction$(async (accessKey: string) => {
    const made = await call('POST /s3-users/:accessKey/secret', { params: { accessKey }, body: {} })
    open.value = false
    props.secret.value = made
  })
  const confirm = $(async () => {
    if (props.user) await rotate.run(props.user.access_key)
  })
  return (
    <Confirm
      open={open}
      level="danger"
      changes="POST /s3-users/:accessKey/secret"
      title="Rotate the secret key?"
      description="The present secret key stops working at once. Every client of this user needs the new one."
      rows={[{ label: 'Access key', to: props.user?.access_key ?? '' }]}
      confirmLabel="Rotate secret key"
      pending={rotate.isPending}
      error={rotate.error?.message}
      onConfirm$={confirm}
      onClose$={rotate.reset}
    />
  )
})
