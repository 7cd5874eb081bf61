import { $, component$, type Signal } from '@builder.io/qwik'
import { Confirm, call, invalidate, toast, useAction$ } from '@svc/ui-kit'
import { useDialog } from './use-dialog.ts'
import type { S3User } from './user-policy.ts'

interface DeleteProps {
  user: S3User | undefined
  dialog: Signal<string | undefined>
}

export const DeleteDialog = component$<DeleteProps>((props) => {
  const open = useDialog(props.dialog, 'delete')
  const remove = useAction$(async (accessKey: string) => {
    await call('DELETE /s3-users/:accessKey', { params: { accessKey } })
    invalidate(['GET /s3-users'])
    open.value = false
    toast({ title: 'S3 user deleted', text: accessKey })
  })
  const confirm = $(async () => {
    if (props.user) await remove.run(props.user.access_key)
  })
  return (
    <Confirm
      open={open}
      level="danger"
      changes="DELETE /s3-users/:accessKey"
      title="Delete this S3 user?"
      description="Its keys stop working at once. A new user gets other keys."
      rows={[
        { label: 'Access key', to: props.user?.access_key ?? '' },
        { label: 'Role', to: props.user?.role ?? '' },
      ]}
      confirmLabel="Delete user"
      pending={remove.isPending}
      error={remove.error?.message}
      onConfirm$={confirm}
      onClose$={remove.reset}
    />
  )
})
