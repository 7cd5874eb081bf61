import { Alert, KeyText } from '@svc/ui-kit'
import { deletedMax } from './delete-keys.ts'

const shownMax = 5

/** Some of the keys that will be deleted. */
export const DeletePreview = ({ keys, isCut }: { keys: readonly string[]; isCut: boolean }) => (
  <>
    <p>They move to the trash: each key gets a delete marker, its versions stay and can be restored.</p>
    <ul class="flex flex-col gap-1 rounded-md border bg-sunken px-3 py-2 font-mono text-xs">
      {keys.slice(0, shownMax).map((key) => (
        <li key={key} class="min-w-0">
          <KeyText text={key} />
        </li>
      ))}
      {keys.length > shownMax && <li class="text-muted">and {keys.length - shownMax} more</li>}
    </ul>
    {isCut && (
      <Alert tone="warning">
        More objects are selected than one deletion takes: this deletes the first {deletedMax.toLocaleString('en-US')}.
      </Alert>
    )}
  </>
)
