import type { Shape } from './place.ts'

const IMAGES = ['image/jpeg', 'image/png', 'image/gif', 'image/webp'] as const

/** Image types that Anthropic accepts. */
export type ImageType = (typeof IMAGES)[number]

export function isImageType(mediaType: string): mediaType is ImageType {
  return (IMAGES as readonly string[]).includes(mediaType)
}

const AUDIO = new Map([
  ['audio/wav', 'wav'],
  ['audio/mpeg', 'mp3'],
] as const)

/** Returns the `input_audio` format of a media type; undefined if Chat Completions has none for it. */
export function audioFormat(mediaType: string): 'wav' | 'mp3' | undefined {
  return [...AUDIO].find(([known]) => known === mediaType)?.[1]
}

/** Returns the block type for a file of this media type; undefined if the format has none. */
export function fileKind(shape: Shape, mediaType: string): string | undefined {
  if (shape === 'anthropic') {
    if (isImageType(mediaType)) return 'image'
    return mediaType === 'application/pdf' ? 'document' : undefined
  }
  if (mediaType.startsWith('image/')) return 'image_url'
  return audioFormat(mediaType) ? 'input_audio' : 'file'
}
