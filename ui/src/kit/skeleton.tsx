import { component$ } from '@builder.io/qwik'

/** A grey block in the shape of content to come. Sizes come from `class`. The region around it announces the loading. */
export const Skeleton = ({ class: extra }: { class?: string | undefined }) => (
  <span aria-hidden="true" class={['kit-pulse block rounded-sm bg-line', extra ?? 'h-4 w-full']} />
)

/** Lines of a paragraph to come. */
export const SkeletonLines = component$<{ lines?: number | undefined; label?: string | undefined }>(({ lines = 3, label = 'Loading' }) => (
  <div role="status" aria-label={label} class="flex flex-col gap-2.5">
    {Array.from({ length: lines }, (_, line) => (
      <Skeleton key={line} class={line === lines - 1 ? 'h-3.5 w-3/5' : 'h-3.5 w-full'} />
    ))}
  </div>
))
