import type { ProjectFile } from './project-setup.ts'

const LOCAL_HEADER = 0x04034b50
const CENTRAL_HEADER = 0x02014b50
const END_RECORD = 0x06054b50
/** Names are in UTF-8. */
const FLAGS = 0x0800
/** 1 January 1980, the first day that the format has. */
const DATE = 0x0021

/** Packs text files into a ZIP archive, without compression. */
export function zip(files: readonly ProjectFile[]): Blob {
  const encoder = new TextEncoder()
  const locals: Uint8Array<ArrayBuffer>[] = []
  const central: Uint8Array<ArrayBuffer>[] = []
  let offset = 0
  for (const file of files) {
    const name = encoder.encode(file.path)
    const data = encoder.encode(file.text)
    const common = [...u16(20, FLAGS, 0, 0, DATE), ...u32(crc32(data), data.length, data.length)]
    const local = bytes(u32(LOCAL_HEADER), common, u16(name.length, 0), name)
    locals.push(local, data)
    const attributes = [...u16(0, 0, 0, 0), ...u32(0, offset)]
    central.push(bytes(u32(CENTRAL_HEADER), u16(20), common, u16(name.length), attributes, name))
    offset += local.length + data.length
  }
  const size = central.reduce((sum, { length }) => sum + length, 0)
  const count = files.length
  const end = bytes(u32(END_RECORD), u16(0, 0, count, count), u32(size, offset), u16(0))
  return new Blob([...locals, ...central, end], { type: 'application/zip' })
}

function bytes(...parts: readonly ArrayLike<number>[]): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(parts.flatMap((part) => Array.from(part)))
}

function u16(...values: readonly number[]): number[] {
  return values.flatMap((value) => [value & 0xff, value >>> 8])
}

function u32(...values: readonly number[]): number[] {
  return values.flatMap((value) => u16(value & 0xffff, value >>> 16))
}

function crc32(data: Uint8Array): number {
  let crc = -1
  for (const byte of data) {
    crc ^= byte
    for (let bit = 0; bit < 8; bit++) crc = (crc >>> 1) ^ (crc & 1 ? 0xedb88320 : 0)
  }
  return ~crc >>> 0
}
