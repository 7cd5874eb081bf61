import { $, component$, type Signal } from '@builder.io/qwik'
import { Confirm, call, invalidate, toast, useAction$ } from '@svc/ui-kit'
import { useDialog } from './use-dialog.ts'
import type { S3User } from './user-policy.ts'

interface DisableProps {
  user: S3User | undefined
  dialog: Signal<string | undefined>
}

/** Ends and gives back the access of a user, whose keys and buckets stay. */
export const DisableDialog = component$<DisableProps>((props) => {
  const open = useDialog(props.dialog, 'disable')
  const change = useAction$(async (accessKey: string, isDisabled: boolean) => {
    await call('PUT /s3-users/:accessKey/profile', { params: { accessKey }, body: { is_disabled: isDisabled } })
    invalidate(['GET /s3-users'])
    open.value = false
    toast({ title: isDisabled ? 'User disabled' : 'User enabled' })
  })
  const isDisabled = props.user?.is_disabled ?? false
  return (
    <Confirm
      open={open}
      changes="PUT /s3-users/:accessKey/profile"
      level={isDisabled ? 'review' : 'danger'}
      title={isDisabled ? 'Enable this user?' : 'Disable this user?'}
      description={
        isDisabled
          ? 'Its keys work again at once, and so do its links that are not expired.'
          : 'Requests with its signature are refused at once, also links that it signed. Its buckets and keys stay.'
      }
      rows={[
        { label: 'Access key', to: props.user?.access_key ?? '' },
        { label: 'Name', to: props.user?.name ?? 'none' },
      ]}
      confirmLabel={isDisabled ? 'Enable' : 'Disable'}
      pending={change.isPending}
      error={change.error?.message}
      onConfirm$={$(async () => {
        if (props.user) await change.run(props.user.access_key, !props.user.is_disabled)
      })}
      onClose$={change.reset}
    />
  )
})
