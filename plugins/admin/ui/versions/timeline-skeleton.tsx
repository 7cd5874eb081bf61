import { Skeleton } from '@svc/ui-kit'

/** The shape of a history while it loads. */
export const TimelineSkeleton = () => (
  <div role="status" aria-label="Loading the versions" class="flex flex-col gap-6 px-4 py-5">
    {[0, 1, 2].map((row) => (
      <div key={row} class="flex gap-3">
        <Skeleton class="size-6 rounded-full" />
        <div class="flex-1">
          <Skeleton class="h-4 w-52 max-w-full" />
          <Skeleton class="mt-2 h-3.5 w-80 max-w-full" />
        </div>
      </div>
    ))}
  </div>
)
