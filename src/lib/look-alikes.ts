/** Cyrillic, Greek and Armenian letters, each before the Latin letter that it looks like. */
const PAIRS =
  'аaАAвbВBсcСCԁdеeЕEԍgһhНHіiІIјjЈJкkКKӏlмmМMоoОOрpРPԛqѕsЅSтtТTυuνvѵvԝwԜWхxХXуyУYүyҮY' +
  'αaΑAβbΒBεeΕEΗHιiΙIκkΚKΜMΝNοoΟOρpΡPτtΤTχxΧXγyΥYΖZհhոnսuցgօoՕO'

/** The text with Latin letters for those that look like them, as a person reads "Рay" whose first letter is Cyrillic. */
export function withLatinLetters(text: string): string {
  return text.replace(/[\p{Script=Cyrillic}\p{Script=Greek}\p{Script=Armenian}]/gu, (letter) => {
    const at = PAIRS.indexOf(letter)
    return at < 0 ? letter : PAIRS.charAt(at + 1)
  })
}
