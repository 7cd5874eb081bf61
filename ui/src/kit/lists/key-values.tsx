import { component$, type JSXOutput, Slot } from '@builder.io/qwik'

/** A list of facts. Its children are `KeyValue`s. */
export const KeyValues = component$<{ class?: string | undefined }>(({ class: extra }) => (
  <dl class={['flex min-w-0 flex-col divide-y text-sm', extra]}>
    <Slot />
  </dl>
))

interface KeyValueProps {
  label: string
  /** Or the default slot. */
  value?: JSXOutput | undefined
  help?: string | undefined
}

/** One fact: label left, value right, in one column on a phone. */
export const KeyValue = component$<KeyValueProps>(({ label, value, help }) => (
  <div class="flex min-w-0 flex-wrap items-baseline justify-between gap-x-6 gap-y-0.5 py-2">
    <dt class="text-muted" title={help}>
      {label}
    </dt>
    <dd class="min-w-0 max-w-full text-end [overflow-wrap:anywhere]">
      {value}
      <Slot />
    </dd>
  </div>
))
