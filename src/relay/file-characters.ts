import { placesOf } from './find-reference.ts'
import type { Body } from './wire-format.ts'

const BASE64 = /^[A-Za-z0-9+/=]*$/
const DATA_URL =
  /^data:((image|audio|video)\/[^,]{1,200}|application\/pdf);base64,[A-Za-z0-9+/=]*$/i

/** Characters of inline files. What they cost depends on what they show. Files of text cost what text costs. */
export function fileCharacters(body: Body): number {
  let count = 0
  for (const { key, value, parent } of placesOf(body)) {
    if (typeof value !== 'string') continue
    const isBytes = key === 'data' && (parent['type'] === 'base64' || 'format' in parent)
    const isUrl = key === 'url' || key === 'image_url' || key === 'file_data'
    if ((isBytes && BASE64.test(value)) || (isUrl && DATA_URL.test(value))) count += value.length
  }
  return count
}
