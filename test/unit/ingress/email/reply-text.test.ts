import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { extractReplyText } from "../../../../src/channels/email/reply-text.ts";

const QUOTED = "> check what is in the fridge\n>\n> Respond: https://mess.test/r/x\n";

describe("the reply text of a mail", () => {
  it.each([
    ["Gmail, English", "On Sat, Apr 5, 2031 at 10:00 AM MESS <tasks@mess.test> wrote:"],
    ["Gmail, broken", "On Sat, Apr 5, 2031 at 10:00 AM MESS\n<tasks@mess.test> wrote:"],
    ["Apple, English", "On 5 Apr 2031, at 10:00, MESS <tasks@mess.test> wrote:"],
    ["Gmail, German", "Am Sa., 5. Apr. 2031 um 10:00 Uhr schrieb MESS <\ntasks@mess.test>:"],
    ["Apple, German", "Am 05.04.2031 um 10:00 schrieb MESS <tasks@mess.test>:"],
    ["Gmail, Spanish", "El sáb, 5 abr 2031 a las 10:00, MESS (<tasks@mess.test>) escribió:"],
    ["Apple, Spanish", "El 5 abr 2031, a las 10:00, MESS <tasks@mess.test> escribió:"],
    ["Gmail, French", "Le sam. 5 avr. 2031 à 10:00, MESS <tasks@mess.test> a écrit :"],
    ["Apple, French", "Le 5 avr. 2031 à 10:00, MESS <tasks@mess.test> a écrit :"],
    ["Gmail, Turkish", "MESS <tasks@mess.test>, 5 Nis 2031 Cmt, 10:00 tarihinde şunu yazdı:"],
    ["Apple, Turkish", "MESS <tasks@mess.test> şunları yazdı (5 Nis 2031 10:00):"],
    ["Thunderbird", "On 05/04/2031 10:00, MESS wrote:"],
  ])("the reply text is above the quotation of %s", (_, introduction) => {
    expect(extractReplyText(`Two eggs and milk.\n\n${introduction}\n\n${QUOTED}`)).toBe(
      "Two eggs and milk.",
    );
  });

  it.each([
    ["English", "-----Original Message-----\nFrom: MESS <tasks@mess.test>\nSent: Saturday"],
    ["German", "-----Ursprüngliche Nachricht-----\nVon: MESS <tasks@mess.test>"],
    ["Spanish", "-----Mensaje original-----\nDe: MESS"],
    ["French", "-----Message d'origine-----\nDe : MESS"],
    ["Turkish", "-----Orijinal İleti-----\nKimden: MESS"],
    ["a rule", "________________________________\nFrom: MESS <tasks@mess.test>\nSent: Saturday"],
    ["a header", "From: MESS <tasks@mess.test>\nSent: Saturday, April 5, 2031 10:00\nTo: Ann"],
    ["a German header", "Von: MESS <tasks@mess.test>\nGesendet: Samstag, 5. April 2031\nAn: Ann"],
    ["a French header", "De : MESS <tasks@mess.test>\nEnvoyé : samedi 5 avril 2031\nÀ : Ann"],
    ["a Spanish header", "De: MESS <tasks@mess.test>\nEnviado el: sábado, 5 de abril\nPara: Ann"],
    ["a Turkish header", "Kimden: MESS <tasks@mess.test>\nGönderildi: 5 Nisan 2031\nKime: Ann"],
  ])("the reply text ends where Outlook quotes the old mail, marked by %s", (_, old) => {
    expect(
      extractReplyText(`Two eggs.\n\n${old}\nSubject: fridge\n\ncheck what is in the fridge`),
    ).toBe("Two eggs.");
  });

  it("the reply text is kept between quoted lines and below them", () => {
    const mail = [
      "On Sat, Apr 5, 2031 at 10:00 AM MESS <tasks@mess.test> wrote:",
      "> which room?",
      "The kitchen.",
      "",
      "> when?",
      "At six.",
    ].join("\n");

    expect(extractReplyText(mail)).toBe("The kitchen.\n\nAt six.");
  });

  it.each([
    ["a signature", "Two eggs.\n-- \nAnn Example\n+1 555 0101"],
    ["a phone's line", "Two eggs.\n\nSent from my iPhone"],
    ["a German phone's line", "Two eggs.\n\nVon meinem iPhone gesendet"],
    ["a French phone's line", "Two eggs.\n\nEnvoyé de mon iPhone"],
    ["a Spanish phone's line", "Two eggs.\n\nEnviado desde mi iPhone"],
    ["a Turkish phone's line", "Two eggs.\n\niPhone'umdan gönderildi"],
  ])("the reply text ends before %s", (_, mail) => {
    expect(extractReplyText(mail)).toBe("Two eggs.");
  });

  it.each([
    "On the shelf there is milk.\nMum wrote: buy more",
    "From: the cellar\nTo: the attic",
    "I have 3 eggs\n- and milk\n--- and that is all",
    "He wrote:",
  ])("the reply text is complete if a line only looks like a quotation: %j", (mail) => {
    expect(extractReplyText(mail)).toBe(mail);
  });

  it("a mail that only quotes has no reply text", () => {
    expect(extractReplyText(QUOTED)).toBe("");
  });

  it("finding the reply text takes linear time for any mail", () => {
    const began = performance.now();
    extractReplyText(`${"On 1 ".repeat(20_000)}\n${"From: x\n".repeat(50_000)}`);
    extractReplyText(`${"_".repeat(12)}\n`.repeat(100_000));
    extractReplyText("Le 1 ".repeat(40_000).split(" ").join("\n"));

    expect(performance.now() - began).toBeLessThan(10_000);
  });

  it("finding the reply text never throws, and never makes the text longer", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary", maxLength: 400 }), (mail) => {
        expect(extractReplyText(mail).length).toBeLessThanOrEqual(mail.length);
      }),
    );
  });
});
