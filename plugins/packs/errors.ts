import { defineErrors } from '#kernel'

export const packErrors = defineErrors({
  pack_not_found: { status: 404, message: 'No pack has this id. List the packs again.' },
})
