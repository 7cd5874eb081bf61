import { component$, useSignal, useTask$ } from '@builder.io/qwik'
import { useObservable } from '../data/observable.ts'
import { Dialog } from '../kit/dialog.tsx'
import { Switch } from '../kit/fields/switch.tsx'
import { Kbd } from '../kit/kbd.tsx'
import { useParts } from './parts.ts'
import { areShortcutsOn, isHelpOpen } from './shortcuts.ts'

const general: readonly (readonly [keys: readonly string[], text: string])[] = [
  [['Ctrl', 'K'], 'Find a page or a command'],
  [['/'], 'Filter the list'],
  [['j'], 'Next row of the list'],
  [['k'], 'Row before'],
  [['Enter'], 'Open the row'],
  [['x'], 'Select the row, or leave it out'],
  [['r'], 'Read everything again'],
  [['u'], 'Upload to the bucket that is shown'],
  [['['], 'Fold or unfold the menu'],
  [['?'], 'Show these keys'],
]

export const ShortcutHelp = component$(() => {
  const wanted = useObservable(isHelpOpen)
  const isOn = useObservable(areShortcutsOn)
  const open = useSignal(false)
  const single = useSignal(isOn.value)
  const nav = useParts('nav')
  useTask$(({ track }) => {
    open.value = track(() => wanted.value)
  })
  const pages = nav.value.flatMap(({ key, label }) => (key ? [[['g', key], `Go to ${label}`] as const] : []))
  return (
    <Dialog
      open={open}
      title="Keyboard shortcuts"
      onClose$={() => {
        isHelpOpen.value = false
      }}
    >
      <div class="grid gap-x-8 gap-y-2 sm:grid-cols-2">
        {[...general, ...pages].map(([keys, text]) => (
          <div key={text} class="flex items-center justify-between gap-4 text-sm">
            <span>{text}</span>
            <Kbd keys={keys} />
          </div>
        ))}
      </div>
      <div class="mt-5 border-t pt-4">
        <Switch
          value={single}
          label="Keys without Ctrl"
          help="Switch them off if they interfere with your screen reader or voice control."
          onValue$={(on: boolean) => {
            areShortcutsOn.value = on
          }}
        />
      </div>
    </Dialog>
  )
})
