import { $, component$, type Signal } from '@builder.io/qwik'
import { Confirm, call, patchQueries, toast, useAction$ } from '@svc/ui-kit'
import { saveWord } from '../settings/risk-policy.ts'
import { describeDisabling, disabledOf, type PluginView, switchPlugin } from './plugin-policy.ts'

/** Switches a plugin for the next start. */
export const SwitchDialog = component$<{ open: Signal<boolean>; view: PluginView | undefined }>((props) => {
  const id = props.view?.plugin.id ?? ''
  const isOn = props.view?.isWanted ?? true
  const save = useAction$(async (plugin: string, next: boolean) => {
    // Another operator may have changed the list since it was shown.
    const disabled = switchPlugin(disabledOf(await call('GET /settings')), plugin, next)
    const saved = await call('PUT /settings', { body: { plugins: { disabled } } })
    patchQueries('GET /settings', () => saved)
    props.open.value = false
    toast({ title: `${plugin} will be ${next ? 'enabled' : 'disabled'}`, text: 'Restart the service to use the change.' })
  })
  const confirm = $(async () => {
    if (props.view) await save.run(props.view.plugin.id, !props.view.isWanted)
  })
  return (
    <Confirm
      open={props.open}
      level={isOn ? 'typed' : 'review'}
      word={saveWord}
      changes="PUT /settings"
      title={isOn ? `Disable ${id}?` : `Enable ${id}?`}
      description={isOn ? describeDisabling(id) : 'It starts with the service from the next start on.'}
      rows={[{ label: id, from: isOn ? 'Enabled' : 'Disabled', to: isOn ? 'Disabled' : 'Enabled' }]}
      confirmLabel={isOn ? 'Disable' : 'Enable'}
      pending={save.isPending}
      error={save.error?.message}
      onConfirm$={confirm}
      onClose$={save.reset}
    />
  )
})
