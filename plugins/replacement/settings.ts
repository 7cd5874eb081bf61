import { defineSection, setting } from '#kernel'

export const replacementSection = defineSection('replacement', {
  doc: 'Replicas that move to another storage provider.',
  keys: {
    copying_at_once: setting.integer({
      label: 'Replicas copied at once',
      doc: 'Replacements that copy contents at the same time; others wait for their turn. Creating and ending services is not limited.',
      default: 4,
      min: 1,
      max: 64,
      editable: true,
    }),
  },
})
