import { CopyButton, Icon, setSearch, shortenKey, showHidden } from '@svc/ui-kit'
import { nameIn } from './keys-policy.ts'

/** Opens the panel of an object; its key can be copied. */
export const ObjectLink = ({ objectKey, folder }: { objectKey: string; folder: string }) => (
  <span class="inline-flex align-middle max-w-full min-w-0 items-center gap-2">
    <Icon name="file" class="text-muted" />
    <button
      type="button"
      title={showHidden(objectKey)}
      class="min-h-6 min-w-6 truncate rounded-sm text-start font-medium hover:underline"
      onClick$={() => setSearch({ object: objectKey })}
    >
      <bdi class="whitespace-pre">{showHidden(shortenKey(nameIn(folder, objectKey)))}</bdi>
    </button>
    <CopyButton text={objectKey} label="the key" />
  </span>
)
