import type { SentGrant, SentGrantee } from '../wire/access-headers.ts'
import { permissions } from '../wire/access-list-policy.ts'
import { S3Error } from '../wire/s3-error.ts'
import { element, xmlDocument } from '../wire/xml.ts'
import { childrenOf, childText, malformed, requireText, type XmlElement } from '../wire/xml-reader.ts'
import { readOwner, writeOwner } from './owner.ts'
import { defineDocument } from './xml-document.ts'

interface AccessControlPolicy {
  readonly owner: string
  readonly grants: readonly SentGrant[]
}

const root = 'AccessControlPolicy'
const schema = 'xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"'

export const accessControlDocument = defineDocument<AccessControlPolicy>({
  root,
  write({ owner, grants }) {
    const items = grants.map(({ grantee, permission }) => `<Grant>${writeGrantee(grantee)}${element('Permission', permission)}</Grant>`)
    return xmlDocument(root, `${writeOwner(owner)}<AccessControlList>${items.join('')}</AccessControlList>`)
  },
  read(policy) {
    const owner = readOwner(policy)
    const [list] = childrenOf(policy, 'AccessControlList')
    if (owner === undefined || list === undefined)
      throw malformed(`The element ${root} needs an Owner with an ID, and an AccessControlList.`)
    return {
      owner,
      grants: childrenOf(list, 'Grant').map((grant) => ({ grantee: readGrantee(grant), permission: readPermission(grant) })),
    }
  },
})

function writeGrantee({ type, name }: SentGrantee): string {
  const id = type === 'CanonicalUser' ? `${element('ID', name)}${element('DisplayName', name)}` : element(members[type], name)
  return `<Grantee ${schema} xsi:type="${type}">${id}</Grantee>`
}

const members = { CanonicalUser: 'ID', Group: 'URI', AmazonCustomerByEmail: 'EmailAddress' } as const

/** Recognises the type by its member: clients write the type into an attribute, but the member tells it too. */
function readGrantee(grant: XmlElement): SentGrantee {
  const [grantee] = childrenOf(grant, 'Grantee')
  for (const type of ['CanonicalUser', 'Group', 'AmazonCustomerByEmail'] as const) {
    const name = grantee && childText(grantee, members[type])
    if (name !== undefined) return { type, name }
  }
  throw malformed('A Grant needs a Grantee with an ID, a URI or an EmailAddress.')
}

/** Throws MalformedACLError. */
function readPermission(grant: XmlElement): SentGrant['permission'] {
  const name = requireText(grant, 'Permission')
  const permission = permissions.find((one) => one === name)
  if (permission === undefined) throw new S3Error('MalformedACLError')
  return permission
}
