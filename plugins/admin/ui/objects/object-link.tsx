import { CopyButton, Icon, shortenKey, showHidden } from '@svc/ui-kit'
import { nameIn } from './keys-policy.ts'

interface ObjectLinkProps {
  objectKey: string
  folder: string
  /** Address of the page with the panel of the object. */
  href: string
}

/** Leads to the panel of an object; its key can be copied. */
export const ObjectLink = ({ objectKey, folder, href }: ObjectLinkProps) => (
  <span class="inline-flex align-middle max-w-full min-w-0 items-center gap-2">
    <Icon name="file" class="text-muted" />
    <a href={href} title={showHidden(objectKey)} class="min-h-6 min-w-6 truncate rounded-sm font-medium hover:underline">
      <bdi class="whitespace-pre">{showHidden(shortenKey(nameIn(folder, objectKey)))}</bdi>
    </a>
    <CopyButton text={objectKey} label="the key" />
  </span>
)
