import { element, plainXmlDocument } from '../wire/xml.ts'
import { childText, requireText } from '../wire/xml-reader.ts'
import { defineDocument } from './xml-document.ts'

interface ErrorAnswer {
  readonly error: {
    readonly code: string
    readonly message: string
    /** Elements that tell more, by name. */
    readonly extras: Readonly<Record<string, string | number>>
  }
  readonly resource: string
  readonly requestId: string
  readonly hostId: string
}

const common: ReadonlySet<string> = new Set(['Code', 'Message', 'Resource', 'RequestId', 'HostId'])

export const errorDocument = defineDocument<ErrorAnswer>({
  root: 'Error',
  write({ error: { code, message, extras }, resource, requestId, hostId }) {
    const more = Object.entries(extras).map(([name, value]) => element(name, value))
    return plainXmlDocument(
      'Error',
      `${element('Code', code)}${element('Message', message)}${more.join('')}${element('Resource', resource)}${element('RequestId', requestId)}${element('HostId', hostId)}`,
    )
  },
  read: (root) => ({
    error: {
      code: requireText(root, 'Code'),
      message: requireText(root, 'Message'),
      extras: Object.fromEntries(root.children.filter(({ name }) => !common.has(name)).map(({ name, text }) => [name, text])),
    },
    resource: childText(root, 'Resource') ?? '',
    requestId: childText(root, 'RequestId') ?? '',
    hostId: childText(root, 'HostId') ?? '',
  }),
})
