// Finds where a prompt stops being its writer's own words: the signs of an issue, an e-mail, a page or a log. Pure.

/**
 * Returns the lines that the writer may have typed. Some signs show that the whole prompt was copied from elsewhere;
 * after the others it is unknown where the writer's own words begin again.
 */
export function ownLines(text: string): readonly string[] {
  const lines = text.split("\n");
  if (lines.some((line) => isOfDocument(line))) return [];
  if (lines.some((line, at) => isSignOff(line, lines.slice(at + 1)))) return [];
  const cut = lines.findIndex((line, at) => beginsPaste(line, lines.slice(at + 1)));
  if (cut === -1) return beforeBlock(lines);
  const own = lines.slice(0, cut);
  // The paragraph right before a paste introduces it.
  const gap = own.findLastIndex((line) => line.trim() === "");
  return beforeBlock(own.slice(0, Math.max(0, gap)));
}

const FENCE_OR_TAG = /^\s*(?:```|~~~)|<[/!?]?[a-z][^<>]*>|<!--/i;
const QUOTE_OR_TABLE = /^\s*[>|]/;
/** Matches e-mail headers of which a single one is enough: "From: Ann". */
const MAIL_HEADER = new RegExp(
  `^\\s*(?:${[
    "from|to|cc|bcc|subject|sent|date|reply-to|forwarded message",
    "von|an|betreff|gesendet|datum|antwort an|weitergeleitete nachricht",
    "de|à|objet|envoyé|date|répondre à|para|asunto|enviado|fecha|assunto|data",
    "da|oggetto|inviato|aan|onderwerp|verzonden|od|do|temat|wysłano|předmět",
    "от|кому|тема|дата|från|till|ämne|fra|til|emne|kimden|kime|konu",
    "发件人|收件人|主题|差出人|宛先|件名|보낸 사람|받는 사람|제목",
  ].join("|")})\\s?[:：]\\s*\\S`,
  "iu",
);
const GREETING = new RegExp(
  `^\\s*(?:${[
    "hi|hello|hey|dear|good (?:morning|afternoon|evening)|hallo|liebe[rs]?|sehr geehrte[rn]?|guten (?:tag|morgen|abend)|moin",
    "bonjour|bonsoir|salut|chers?|chères?|hola|buen[oa]s (?:días|tardes|noches)|estimad[oa]s?|querid[oa]s?",
    "ciao|buongiorno|gentili?|caro|cara|olá|oi|bom dia|boa tarde|prezad[oa]s?|beste|geachte|goedemorgen",
    "cześć|dzień dobry|szanown[aiy]\\p{L}*|dobrý den|привет|здравствуйте|уважаем\\p{L}+|hej|merhaba|sayın",
  ].join("|")})(?!\\p{L})[^.!?:;]{0,40}[,!]?$`,
  "iu",
);

/** Returns true for a line from which on the words are somebody else's, or may be. */
function beginsPaste(line: string, after: readonly string[]): boolean {
  if (FENCE_OR_TAG.test(line) || QUOTE_OR_TABLE.test(line)) return true;
  const goesOn = after.some((other) => other.trim() !== "");
  if (goesOn && (GREETING.test(line) || leadsInByColon(line))) return true;
  return MAIL_HEADER.test(line);
}

/** "Remember:" announces a rule of the writer's own. */
const OWN_LEAD =
  /^\s*(?:remember|note|rules?|important|please|merke?|wichtig|regel|à retenir|important|recuerda|importante|regla)\s?:\s*$/iu;

function leadsInByColon(line: string): boolean {
  return /[:：]["'”’)*_]*\s*$/u.test(line) && !OWN_LEAD.test(line);
}

/** Matches headings of issue forms, which people also fill in without the heading marks. */
const FORM_HEADING = new RegExp(
  `^[\\s#*_]*(?:${[
    "steps to reproduce|to reproduce|how to reproduce|reproduction(?: steps)?|expected (?:behaviou?r|results?)|actual (?:behaviou?r|results?)|current behaviou?r",
    "describe the (?:bug|feature|issue|problem|solution)\\b.*|bug description|additional (?:context|information)|acceptance criteria|what happened|what did you expect\\b.*",
    "environment|screenshots?|possible solution|proposed solution|motivation|user story",
    "schritte zur reproduktion|schritte zum reproduzieren|erwartetes verhalten|tatsächliches verhalten|aktuelles verhalten|umgebung|fehlerbeschreibung|akzeptanzkriterien|weitere informationen",
    "étapes (?:pour|de) repro\\p{L}*|comportement (?:attendu|actuel|observé)|environnement|critères d['’]acceptation|informations complémentaires",
    "pasos para reproducir|comportamiento (?:esperado|actual)|resultado (?:esperado|actual)|entorno|criterios de aceptación|información adicional",
    "passos para reproduzir|comportamento (?:esperado|atual)|ambiente|passi per riprodurre|comportamento (?:atteso|attuale)",
    "stappen om te reproduceren|verwacht gedrag|werkelijk gedrag|kroki do odtworzenia|oczekiwane zachowanie|шаги (?:для )?воспроизведения|ожидаемое поведение|фактическое поведение",
    "复现步骤|预期行为|实际行为|再現手順|期待する(?:動作|挙動)|재현 (?:방법|단계)|예상 동작",
  ].join("|")})[\\s*_]*[:：?]?[\\s*_]*$`,
  "iu",
);
const HEADING =
  /^\s{0,3}#{1,6}\s+\S|^\s{0,3}(?:={3,}|-{3,})\s*$|^\s*(?:\*\*|__)[^*_]+(?:\*\*|__)\s*:?\s*$/;
const TASK = /^\s*[-*]\s\[[ xX]\]/;
/** Matches the text of an issue's page as it is copied from a browser. */
const ISSUE_PAGE =
  /^\s*@?[\w-]+ (?:commented|opened this|opened an? issue|reopened|added the|self-assigned|changed the title|mentioned this|requested changes)\b|^\s*(?:assignees|labels|milestone)\s*$/i;

/** Returns true for a line that shows that the prompt is a copied document, from its first word. */
function isOfDocument(line: string): boolean {
  return HEADING.test(line) || TASK.test(line) || FORM_HEADING.test(line) || ISSUE_PAGE.test(line);
}

const SIGN_OFF = new RegExp(
  `^\\s*(?:${[
    "(?:best|kind|warm|kindest|many)(?: regards| wishes)?|regards|cheers|sincerely(?: yours)?|yours(?: \\p{L}+)?|all the best|(?:many )?thanks|thank you|thx|take care",
    "(?:mit )?(?:freundliche[nr]?|viele|liebe[nr]?|beste[nr]?|schöne[nr]?) gr(?:ü|ue)(?:ß|ss)en?|grüße|mfg|lg|vg|danke|vielen dank|hochachtungsvoll",
    "(?:bien )?cordialement|bien à (?:vous|toi)|salutations|sincères salutations|merci|amicalement",
    "(?:un )?(?:cordial )?saludos?(?: cordiales)?|atentamente|gracias|un abrazo",
    "(?:cordiali|distinti) saluti|grazie|atenciosamente|abraços?|cumprimentos|obrigad[oa]",
    "(?:met )?vriendelijke groet(?:en)?|groet(?:en|jes)?|pozdrawiam|z poważaniem|s pozdravem|с уважением|спасибо",
    "(?:med )?(?:vänlig(?:a)?|venlig|vennlig) h(?:älsning(?:ar)?|ilsen)|saygılarımla|terveisin|üdvözlettel|με εκτίμηση|trân trọng|hormat saya",
  ].join("|")})\\s*[,.!]?\\s*$`,
  "iu",
);
const SENT_FROM =
  /^\s*(?:sent from my|get outlook for|von meinem \S+ gesendet|gesendet von|envoyé (?:de|depuis) mon|enviado desde mi|enviado do meu|inviato da|verzonden vanaf)(?!\p{L})/iu;

/** "Thanks!" closes a prompt; "Thanks," with a name under it closes a letter. */
function isSignOff(line: string, after: readonly string[]): boolean {
  if (/^--\s*$/.test(line) || SENT_FROM.test(line)) return true;
  const name = after.find((other) => other.trim() !== "");
  return name !== undefined && SIGN_OFF.test(line) && /^\s*\p{L}[^.!?:;]{0,40}$/u.test(name);
}

/** Matches what people announce before they paste it: "Fix this issue", and under it the issue. */
const DOCUMENT = new RegExp(
  `(?<!\\p{L})(?:${[
    "issues?|tickets?|bug reports?|e-?mails?|mails?|messages?|threads?|comments?|letters?|posts?|transcripts?|templates?|descriptions?|feedback|quotes?|announcements?|specs?|pull requests?|below|following",
    "nachricht(?:en)?|kommentar(?:e|s)?|brief|beschreibung|vorlage|fehlerbericht|zitat|folgende\\p{L}*|unten",
    "courriels?|messages?|commentaires?|lettre|modèle|citation|suivante?s?|ci-dessous",
    "correos?|mensajes?|comentarios?|carta|plantilla|descripción|cita|siguientes?|abajo|incidencias?",
    "messaggi?o?|commenti?o?|lettera|seguente|mensagem|mensagens|carta|seguinte|bericht(?:en)?|opmerking|volgende",
    "wiadomoś\\p{L}+|komentarz\\p{L}*|poniżej|zpráv\\p{L}+|сообщени\\p{L}+|комментари\\p{L}+|письм\\p{L}+|ниже|meddelande|besked|melding|mesaj\\p{L}*",
  ].join(
    "|",
  )})(?!\\p{L})|邮件|消息|评论|以下|如下|メール|メッセージ|コメント|次の|이메일|메시지|댓글|다음`,
  "iu",
);

/** Returns the paragraphs up to the one that names a document, if others follow it. */
function beforeBlock(lines: readonly string[]): readonly string[] {
  const at = lines.findIndex((line, index) => DOCUMENT.test(line) && endsParagraph(lines, index));
  return at === -1 ? lines : lines.slice(0, at + 1);
}

function endsParagraph(lines: readonly string[], at: number): boolean {
  const next = lines.findIndex((line, index) => index > at && line.trim() === "");
  return next !== -1 && lines.slice(next).some((line) => line.trim() !== "");
}
