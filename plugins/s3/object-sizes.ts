import { defineObjectSizeChoice, widestObjectSizes } from '#plugins/storage'
import { s3Section } from './settings.ts'

/** The sizes of the section `s3`, for uploads through every API. */
export const chosenSizes = defineObjectSizeChoice({
  name: 's3',
  uses: { settings: s3Section.settings },
  read: ({ settings: { object_sizes, min_object_size, max_object_size } }) =>
    object_sizes === 'any' ? widestObjectSizes : { bytesMin: min_object_size, bytesMax: max_object_size },
})
