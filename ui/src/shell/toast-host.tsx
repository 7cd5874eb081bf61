import { component$ } from '@builder.io/qwik'
import { useObservable } from '../data/observable.ts'
import { IconButton } from '../kit/button.tsx'
import { Icon } from '../kit/icon.tsx'
import { toneIcons, toneText } from '../kit/tone.ts'
import { dismissToast, type Toast, toasts } from './toasts.ts'

/** Errors are announced at once, others when the reader pauses. */
export const ToastHost = component$(() => {
  const shown = useObservable(toasts)
  const isUrgent = ({ tone }: Toast) => tone === 'danger'
  return (
    <div class="pointer-events-none fixed inset-x-3 bottom-3 z-40 flex flex-col gap-2 sm:left-auto sm:w-92">
      <div role="alert" class="flex flex-col gap-2">
        {shown.value.filter(isUrgent).map((item) => (
          <ToastBox key={item.id} item={item} />
        ))}
      </div>
      <div role="status" class="flex flex-col gap-2">
        {shown.value
          .filter((item) => !isUrgent(item))
          .map((item) => (
            <ToastBox key={item.id} item={item} />
          ))}
      </div>
    </div>
  )
})

const ToastBox = component$<{ item: Toast }>(({ item }) => (
  <div class="kit-rise pointer-events-auto flex items-start gap-3 rounded-md border border-edge bg-panel py-2.5 pr-2 pl-3.5 text-sm shadow-lg">
    <Icon name={toneIcons[item.tone]} size={18} class={`mt-0.5 ${toneText[item.tone]}`} />
    <div class="min-w-0 flex-1 py-0.5 [overflow-wrap:anywhere]">
      <p class="font-medium">
        <bdi>{item.title}</bdi>
      </p>
      {item.text && <p class="text-muted">{item.text}</p>}
      {item.to && (
        <a href={item.to} class="text-accent hover:underline">
          {item.toLabel ?? 'Show'}
        </a>
      )}
    </div>
    <IconButton icon="x" label="Dismiss" size="sm" onClick$={() => dismissToast(item.id)} />
  </div>
))
