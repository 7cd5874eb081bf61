import { type ObjectOwnership, readOwnership } from '../wire/object-ownership.ts'
import { element, xmlDocument } from '../wire/xml.ts'
import { childrenOf, malformed, requireText } from '../wire/xml-reader.ts'
import { defineDocument } from './xml-document.ts'

export const ownershipControlsDocument = defineDocument<ObjectOwnership>({
  root: 'OwnershipControls',
  write: (ownership) => xmlDocument('OwnershipControls', `<Rule>${element('ObjectOwnership', ownership)}</Rule>`),
  read(root) {
    const [rule, ...more] = childrenOf(root, 'Rule')
    const ownership = rule && readOwnership(requireText(rule, 'ObjectOwnership'))
    if (ownership !== undefined && more.length === 0) return ownership
    throw malformed('OwnershipControls needs one Rule with an ObjectOwnership: BucketOwnerEnforced, BucketOwnerPreferred or ObjectWriter.')
  },
})
