import { Crc32 } from '../../conversation/index.ts'

/** The check sum of each conversation of a file, taken line by line. It finds damage, and proves nothing of who wrote it. */
export class CheckSum {
  #crc = new Crc32()

  /** What is wrong with the conversation that ends with this line; null: nothing, or it goes on. */
  take(line: string, fields: Readonly<Record<string, unknown>> | null): string | null {
    if (fields?.['conversation'] !== undefined) this.#crc = new Crc32()
    const { end } = fields ?? {}
    if (typeof end !== 'object' || end === null) {
      // Lines may have been given other ends by an editor: the sum knows one.
      this.#crc.add(new TextEncoder().encode(`${line.replace(/\r$/, '')}\n`))
      return null
    }
    return 'crc32' in end && end.crc32 === this.#crc.digits
      ? null
      : 'The file is damaged, or was changed: its check sum is another one.'
  }
}
