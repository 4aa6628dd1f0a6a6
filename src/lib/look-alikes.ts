/** Cyrillic, Greek and Armenian letters, each before the Latin letter that it looks like. */
const PAIRS =
  'аaАAвbВBсcСCԁdеeЕEԍgһhНHіiІIјjЈJкkКKӏlмmМMоoОOрpРPԛqѕsЅSтtТTυuνvѵvԝwԜWхxХXуyУYүyҮY' +
  'αaΑAβbΒBεeΕEΗHιiΙIκkΚKΜMΝNοoΟOρpΡPτtΤTχxΧXγyΥYΖZհhոnսuցgօoՕO'

/** Replaces look-alike letters with Latin ones: "Рay" with a Cyrillic Р becomes Latin "Pay". */
export function withLatinLetters(text: string): string {
  return text.replace(/[\p{Script=Cyrillic}\p{Script=Greek}\p{Script=Armenian}]/gu, (letter) => {
    const at = PAIRS.indexOf(letter)
    return at < 0 ? letter : PAIRS.charAt(at + 1)
  })
}
