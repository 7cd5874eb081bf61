import type { PublicAccessBlock } from '../wire/public-access-block.ts'
import { element, xmlDocument } from '../wire/xml.ts'
import { childFlag } from '../wire/xml-reader.ts'
import { defineDocument } from './xml-document.ts'

const root = 'PublicAccessBlockConfiguration'

export const publicAccessBlockDocument = defineDocument<PublicAccessBlock>({
  root,
  write: (block) =>
    xmlDocument(
      root,
      [
        element('BlockPublicAcls', block.blockPublicAcls),
        element('IgnorePublicAcls', block.ignorePublicAcls),
        element('BlockPublicPolicy', block.blockPublicPolicy),
        element('RestrictPublicBuckets', block.restrictPublicBuckets),
      ].join(''),
    ),
  read: (configuration) => ({
    blockPublicAcls: childFlag(configuration, 'BlockPublicAcls'),
    ignorePublicAcls: childFlag(configuration, 'IgnorePublicAcls'),
    blockPublicPolicy: childFlag(configuration, 'BlockPublicPolicy'),
    restrictPublicBuckets: childFlag(configuration, 'RestrictPublicBuckets'),
  }),
})
