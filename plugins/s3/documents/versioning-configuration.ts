import { optionalElement, xmlDocument } from '../wire/xml.ts'
import { childText, malformed, type XmlElement } from '../wire/xml-reader.ts'
import { defineDocument } from './xml-document.ts'

interface VersioningConfiguration {
  readonly status: 'Enabled' | 'Suspended' | undefined
  readonly mfaDelete: 'Enabled' | 'Disabled' | undefined
}

export const versioningDocument = defineDocument<VersioningConfiguration>({
  root: 'VersioningConfiguration',
  write: ({ status, mfaDelete }) =>
    xmlDocument('VersioningConfiguration', `${optionalElement('Status', status)}${optionalElement('MfaDelete', mfaDelete)}`),
  read: (root) => ({
    status: optionalChoice(root, 'Status', ['Enabled', 'Suspended']),
    mfaDelete: optionalChoice(root, 'MfaDelete', ['Enabled', 'Disabled']),
  }),
})

function optionalChoice<const Choice extends string>(root: XmlElement, name: string, choices: readonly Choice[]): Choice | undefined {
  const text = childText(root, name)
  const choice = choices.find((one) => one === text)
  if (text !== undefined && choice === undefined) throw malformed(`The element ${name} must be ${choices.join(' or ')}.`)
  return choice
}
